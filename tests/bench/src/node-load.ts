/** Load generator for machines without a C compiler. Same arguments and report as `native/load.c`, which explains them. */
import { readFileSync } from "node:fs";
import { Agent, request as send, type ClientRequest, type IncomingMessage } from "node:http";
import { readLoadOptions } from "./load-options.ts";
import { LoadTally } from "./load-tally.ts";

const errorsMax = 500;
const options = readLoadOptions(process.argv.slice(2));
const requests = splitRequests(readFileSync(options.request), options.requestBytes).map(parseRequest);
const agent = new Agent({ keepAlive: true, maxSockets: options.connections, scheduling: "fifo" });
const tally = new LoadTally();
const startedAt = performance.now();
const endsAt = startedAt + options.seconds * 1000;
let idle = options.connections;
let nextDueMs = dueMs(0);
let active = 0;

issueDue();

/** Sends due calls, and schedules itself for the next one. */
function issueDue(): void {
  while (idle > 0) {
    const nowMs = performance.now();
    if (!mayIssue(nowMs)) break;
    if (nextDueMs > nowMs) {
      setTimeout(issueDue, Math.max(0, nextDueMs - nowMs - 0.5));
      return;
    }
    const due = options.rate > 0 ? nextDueMs : nowMs;
    const request = requests[tally.issued % requests.length];
    tally.issued++;
    nextDueMs = dueMs(tally.issued);
    if (request) issue(request, due);
  }
  if (active === 0) finish();
}

function mayIssue(nowMs: number): boolean {
  const inTime = (options.rate > 0 ? nextDueMs : nowMs) < endsAt;
  return inTime && tally.issued < options.requests && tally.errorCount() < errorsMax;
}

function dueMs(index: number): number {
  if (options.rate > 0) return startedAt + ((index + jitter(index)) * 1000) / options.rate;
  return index < options.connections ? startedAt + (options.rampMs * index) / options.connections : 0;
}

/** Pseudo-random value from 0 to 1 by seed and call number (mulberry32's mixing). */
function jitter(index: number): number {
  let state = (options.seed * 0x9e_37_79_b9 + index * 0x6d_2b_79_f5) | 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32;
}

function issue(request: ParsedRequest, due: number): void {
  idle--;
  active++;
  const sent = send({ ...request.target, agent, host: "127.0.0.1", port: options.port });
  let over = false;
  const done = () => {
    if (over) return;
    over = true;
    idle++;
    active--;
    setImmediate(issueDue);
  };
  sent.setTimeout(options.timeoutMs, () => {
    if (!over) tally.fail("timeout", "no progress within the time limit");
    done();
    sent.destroy();
  });
  sent.on("error", (err) => {
    if (!over) tally.fail("connection", err.message);
    done();
  });
  sent.on("response", (res) => receive({ sent, res, due, done }));
  sent.end(request.body);
}

interface Receiving {
  readonly sent: ClientRequest;
  readonly res: IncomingMessage;
  readonly due: number;
  readonly done: () => void;
}

function receive({ sent, res, due, done }: Receiving): void {
  let body = "";
  let scanned = 0;
  let markers = 0;
  let lastMarkerAt = 0;
  res.setEncoding("utf8");
  res.on("data", (text: string) => {
    body += text;
    const now = performance.now();
    let fresh = 0;
    for (let at = body.indexOf(options.marker, scanned); at >= 0; at = body.indexOf(options.marker, scanned)) {
      scanned = at + options.marker.length;
      fresh++;
    }
    if (fresh === 0) return;
    if (markers === 0) tally.firstUs.push((now - due) * 1000);
    else tally.gapsUs.push((now - lastMarkerAt) * 1000);
    markers += fresh;
    tally.chunks += fresh;
    lastMarkerAt = now;
    if (options.leaveAfter === 0 || markers < options.leaveAfter) return;
    tally.leftEarly++;
    done();
    sent.destroy();
  });
  res.on("error", () => sent.destroy());
  res.on("end", () => {
    const excerpt = `status ${res.statusCode}; ${body.slice(0, 120)}`;
    if (res.statusCode !== options.status) tally.fail("status", `wrong status; ${excerpt}`);
    else if (markers !== options.markers) tally.fail("content", `wrong number of markers; ${excerpt}`);
    else if (!body.includes(options.end)) tally.fail("content", `no end marker; ${excerpt}`);
    else {
      tally.completed++;
      tally.latenciesUs.push((performance.now() - due) * 1000);
    }
    done();
  });
}

function finish(): void {
  const seconds = (performance.now() - startedAt) / 1000;
  process.stdout.write(`${JSON.stringify(tally.report(seconds))}\n`, () => process.exit(0));
}

function splitRequests(bytes: Buffer, size: number): Buffer[] {
  if (size === 0) return [bytes];
  return Array.from({ length: bytes.length / size }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

interface ParsedRequest {
  readonly target: { readonly method: string; readonly path: string; readonly headers: Record<string, string> };
  readonly body: Buffer;
}

function parseRequest(bytes: Buffer): ParsedRequest {
  const headSize = bytes.indexOf("\r\n\r\n");
  const [start = "", ...lines] = bytes.subarray(0, headSize).toString("latin1").split("\r\n");
  const [method = "", path = ""] = start.split(" ");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  return { target: { method, path, headers }, body: bytes.subarray(headSize + 4) };
}
