import { performance } from "node:perf_hooks";
import { classifyAddress } from "../src/classify-address.ts";
import { createEgressGuard } from "../src/egress-guard.ts";
import { createFakeResolver } from "../src/testing.ts";

/** Prints the guard's checks per second. Run by hand: `node --conditions=@gatehouse/source packages/egress/test/speed.ts`. */
const roundMs = 500;
const urls = ["https://example.com/hook?x=1", "https://93.184.216.34/hook", "https://[2606:4700:4700::1111]/hook"];
const guard = createEgressGuard({
  resolve: createFakeResolver({ "example.com": ["93.184.216.34", "2606:4700:4700::1111"] }).resolve,
});
const bytes = Uint8Array.of(93, 184, 216, 34);

for (const round of ["warm-up", "measured"]) {
  const rates = {
    classifyBytes: rate(() => classifyAddress(bytes)),
    classifyText: rate(() => classifyAddress("2606:4700:4700::1111")),
    parse: rate((i) => guard.parse(urls[i % urls.length] ?? "")),
    check: await rateAsync((i) => guard.check(urls[i % urls.length] ?? "")),
  };
  process.stdout.write(`${round}: ${JSON.stringify(rates)} per second\n`);
}

function rate(work: (i: number) => unknown): number {
  const start = performance.now();
  let count = 0;
  for (; performance.now() - start < roundMs; count += 1) work(count);
  return Math.round((count * 1_000) / (performance.now() - start));
}

async function rateAsync(work: (i: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let count = 0;
  for (; performance.now() - start < roundMs; count += 1) await work(count);
  return Math.round((count * 1_000) / (performance.now() - start));
}
