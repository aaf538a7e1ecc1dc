import { fileURLToPath } from "node:url";

/** Where the built files of the console are: `index.html` and the hashed assets. Absolute. */
export const consoleFolder = fileURLToPath(new URL("../dist/app", import.meta.url));
