// Preloaded into a process (`--import`): at SIGUSR2, its wall clock is off by the milliseconds that stand in the file of its process id.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const RealDate = globalThis.Date;
let offMs = 0;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now() + offMs] : args, newTarget),
  apply: (target) => new target(target.now() + offMs).toString(),
  get: (target, key) => (key === "now" ? () => target.now() + offMs : Reflect.get(target, key)),
});

process.on("SIGUSR2", () => {
  offMs = Number(readFileSync(join(process.env.CLOCK_STEPS_FOLDER ?? "", String(process.pid)), "utf8"));
});
