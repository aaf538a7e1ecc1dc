export { type DebianProgram, findDebianProgram, findNatsServer, type ProgramSearch } from "./find-debian-program.ts";
export { type BrokerCluster, type BrokerConfig, type BrokerPermissions, formatBrokerConfig } from "./broker-config.ts";
export { type NatsServer, type NatsServerOptions, startNatsServer } from "./start-nats-server.ts";
