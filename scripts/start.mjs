// npm start: the product in this process.
import { startProgram } from "./start-program.mjs";

await startProgram("deploy", "standalone", "dist", "bundle", "main.js");
