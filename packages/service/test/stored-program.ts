import process from "node:process";
import { EnvReader } from "@gatehouse/config";
import { readEventsConfig } from "@gatehouse/events";
import { readDatabaseConfig, readGatewayLogConfig, readHostConfig } from "../src/host-config.ts";
import { createService, runService } from "../src/index.ts";

/** A service with a database and an outbox; `MIGRATIONS` names its folder, and `CONSUMES` makes it consume messages. */
await runService(
  {
    name: "chat",
    loadConfig(env) {
      const reader = new EnvReader(env);
      const config = {
        ...readDatabaseConfig(reader),
        host: readHostConfig(reader, { http: 0, rpc: 0 }),
        events: readEventsConfig(reader),
        ...readGatewayLogConfig(reader),
        migrations: new URL(reader.url("MIGRATIONS", "file:///none", ["file:"])),
        consumes: reader.optionalText("CONSUMES") !== undefined,
      };
      reader.finish();
      return config;
    },
    create(config, host) {
      const database = { config, schema: "stored", migrations: config.migrations };
      return createService({ name: "chat", host, database, outbox: true, feed: true }, (kernel) => {
        const store = async () => await Promise.resolve();
        if (config.consumes) kernel.consume({ stream: "audit", name: "stored", batchSizeMax: 1, store });
        return {};
      });
    },
  },
  process,
);
