import process from "node:process";
import { lapse } from "@gatehouse/async/testing";
import { EnvReader } from "@gatehouse/config";
import { sendJson } from "@gatehouse/http";
import { readHostConfig } from "../src/host-config.ts";
import { isReady, runService } from "../src/index.ts";

/** Writes a line that the test waits for. */
const say = (text: string) => void process.stdout.write(`${JSON.stringify({ said: text })}\n`);

/** An error with request data attached, as libraries make them. */
const fault = Object.assign(new Error("The floor gave way."), { request: { body: "hunter2" } });
function throwFault(): never {
  throw fault;
}

/** The smallest service; `BEHAVIOUR` selects its fault. Its name is that of a service with keys. */
await runService(
  {
    name: "chat",
    loadConfig(env) {
      const reader = new EnvReader(env);
      const host = readHostConfig(reader, { http: 0, rpc: 0 });
      const behaviour = reader.text("BEHAVIOUR", "good");
      reader.finish();
      return { host, behaviour };
    },
    create: ({ behaviour }) => ({
      name: "chat",
      rpc: [],
      async http(req, res) {
        say("request");
        if (req.url === "/slow") await lapse(400, "the end of the process begins meanwhile");
        if (req.url === "/throw") setImmediate(() => throwFault());
        // oxlint-disable-next-line no-floating-promises -- the fault that is tried.
        if (req.url === "/reject") Promise.reject(fault);
        if (req.url !== "/" && req.url !== "/slow") await new Promise(() => {});
        sendJson(res, { status: 200, body: { done: true } });
      },
      async start() {
        say("start");
        if (behaviour === "cannot start") throw new Error("The cellar is locked.");
      },
      endStreams: () => say("end streams"),
      async stop() {
        say("stop");
        if (behaviour === "cannot stop") throw new Error("The door is stuck.");
        if (behaviour === "never stops") await new Promise(() => setInterval(() => {}, 1_000));
      },
      readiness: async () => isReady,
    }),
  },
  process,
);
