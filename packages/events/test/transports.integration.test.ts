import { createInProcessTransport } from "../src/index.ts";
import { findNatsServer, startNatsServer, type TestNatsServer } from "../src/testing.ts";
import { openNats } from "./events-world.ts";
import { describeTransport } from "./transport-contract.ts";

describeTransport("the transport within one process", {
  create: async () => await Promise.resolve(createInProcessTransport()),
  dropsRepeats: false,
});

const program = await findNatsServer();
if (program !== undefined) {
  let server: TestNatsServer;
  describeTransport("the transport over NATS", {
    create: async () => {
      server = await startNatsServer(program);
      return openNats(server.url);
    },
    dropsRepeats: true,
    dispose: async () => await server.remove(),
  });
}
