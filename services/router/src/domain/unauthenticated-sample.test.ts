import { expect, test } from "vitest";
import { UnauthenticatedSample } from "./unauthenticated-sample.ts";

const bounds = { perAddressMax: 2, recordedMax: 5, addressesMax: 4, namedMax: 2 };
const record = (sample: UnauthenticatedSample, address: string, times: number) =>
  Array.from({ length: times }, () => sample.record(address)).filter(Boolean).length;

test("the first requests of an address are recorded, the others counted, until the next window", () => {
  const sample = new UnauthenticatedSample(bounds);
  expect(record(sample, "a", 10)).toBe(2);
  expect(record(sample, "b", 1)).toBe(1);
  expect(sample.drain()).toEqual([{ address: "a", requests: 8 }]);
  expect(sample.drain()).toEqual([]);
  expect(record(sample, "a", 3)).toBe(2);
});

test("many addresses are bounded together: in entries, in memory, and in the rows of the summary", () => {
  const sample = new UnauthenticatedSample(bounds);
  let recorded = 0;
  for (let n = 0; n < 100; n++) recorded += record(sample, `a${n}`, n < 4 ? 10 + n : 1);
  expect(recorded).toBe(5);
  const rows = sample.drain();
  expect(rows).toEqual([
    { address: "a3", requests: 13 },
    { address: "a2", requests: 11 },
    { address: undefined, requests: 8 + 9 + 96 },
  ]);
  expect(rows.reduce((sum, { requests }) => sum + requests, recorded)).toBe(46 + 96);
});

test("the addresses of one IPv6 network are counted together, since one owner has them all", () => {
  const sample = new UnauthenticatedSample(bounds);
  let recorded = 0;
  for (let n = 0; n < 100; n++) recorded += record(sample, `2001:db8:0:1::${n.toString(16)}`, 1);
  expect(recorded).toBe(2);
  expect(record(sample, "2001:db8:0:2::1", 1)).toBe(1);
  expect(sample.drain()).toEqual([{ address: "2001:db8:0:1::/64", requests: 98 }]);
});
