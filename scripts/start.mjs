// npm start: the product in this process.
import { startProgram } from "./start-program.mjs";

const USAGE = `Usage: npm start

Prepares the checkout and starts Gatehouse in one process. It takes no arguments: settings are variables of the environment
(docs/configuration.md), for example PORT=8081 npm start.`;

await startProgram(USAGE, "deploy", "standalone", "dist", "bundle", "main.js");
