import { fileURLToPath } from "node:url";

/** Absolute path of the built console: `index.html` and hashed assets. */
export const consoleFolder = fileURLToPath(new URL("../dist/app", import.meta.url));
