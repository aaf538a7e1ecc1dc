import process from "node:process";

// Loaded into each service before its main: a killed parent cannot stop its children, so they watch for its end.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
