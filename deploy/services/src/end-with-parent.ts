import process from "node:process";

// Loaded into each service before its main: a parent that was killed can end nobody, so its children watch for it.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
