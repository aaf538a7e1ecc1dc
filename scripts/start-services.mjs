// npm run start:services: every service in a separate process.
import { startProgram } from "./start-program.mjs";

await startProgram("deploy", "services", "dist", "main.js");
