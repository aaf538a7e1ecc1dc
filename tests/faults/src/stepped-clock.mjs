// Preload (`--import`): on SIGUSR2, offsets the process' wall clock by the milliseconds in the file named by its process id.
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
