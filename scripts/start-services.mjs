// npm run start:services: every service in a separate process.
import { startProgram } from "./start-program.mjs";

const USAGE = `Usage: npm run start:services

Prepares the checkout and starts each service of Gatehouse in a separate process, with Postgres and NATS. It takes no arguments:
settings are variables of the environment (docs/configuration.md), for example PORT=8081 npm run start:services.`;

await startProgram(USAGE, "deploy", "services", "dist", "main.js");
