import { once } from "node:events";
import process from "node:process";
import { findFreePort } from "../src/index.ts";

/** A process that finds as many ports as its argument says, prints them, and keeps them until its input ends. */
const ports: number[] = [];
while (ports.length < Number(process.argv[2])) ports.push(await findFreePort());
process.stdout.write(JSON.stringify(ports));
await once(process.stdin.resume(), "end");
