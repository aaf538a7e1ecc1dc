import type { CarryRequest } from "@gatehouse/proto/hot-stream";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { hotStreamBounds } from "./bounds.ts";
import { HotSession, type ServedMethod } from "./hot-session.ts";
import { HotStream } from "./hot-stream.ts";

/** A stream whose messages the test reads, and whose other side is silent. */
function openStream() {
  const { promise: taken, resolve } = Promise.withResolvers<AsyncIterator<CarryRequest>>();
  const stream = new HotStream(
    (requests) => {
      resolve(requests[Symbol.asyncIterator]());
      return { [Symbol.asyncIterator]: () => ({ next: async () => await new Promise(() => {}) }) };
    },
    () => "me",
    () => {},
  );
  return { taken, stream };
}

const call = { path: "/a/B", request: Buffer.from("x"), timeoutMs: 10_000, metadata: {}, signal: undefined };

test.each(Array.from({ length: 12 }, (_, microtasks) => microtasks))(
  "a call aborted %i microtasks after its start is sent with its cancellation, or not at all",
  async (microtasks) => {
    const { taken, stream } = openStream();
    const requests = await taken;
    stream.call(call).catch(() => {});
    await requests.next();
    const controller = new AbortController();
    const outcome = expect(stream.call({ ...call, signal: controller.signal })).rejects.toThrow();
    const second = requests.next();
    for (let at = 0; at < microtasks; at += 1) await Promise.resolve();
    controller.abort();
    await outcome;
    // One call more, so that a further message comes.
    stream.call(call).catch(() => {});
    const messages = [await second, await requests.next()].map(({ value }) => value as CarryRequest);
    const sent = messages.flatMap(({ calls }) => calls.map(({ id }) => id)).filter((id) => id === 2);
    expect(messages.flatMap(({ cancelledIds }) => cancelledIds)).toEqual(sent);
  },
);

test("replies that a caller does not read are bounded in bytes, and further ones are refused", async () => {
  const replyBytes = 4 * 1024 * 1024;
  const fitting = Math.floor(hotStreamBounds.waitingReplyBytesMax / replyBytes);
  const coder = {
    decode: () => ({}),
    fromPartial: (value: unknown) => value,
    encode: () => ({ finish: () => Buffer.alloc(replyBytes) }),
  };
  const served = {
    method: { path: call.path, requestType: coder, responseType: coder },
    handle: async () => await Promise.resolve({}),
  } as unknown as ServedMethod;
  const { log } = createSilentTelemetry();
  const session = new HotSession({
    check: () => undefined,
    identity: "me",
    methods: new Map([[call.path, served]]),
    log,
    peer: "test",
  });
  const ids = Array.from({ length: fitting + 4 }, (_, id) => id + 1);
  const requests = async function* (): AsyncGenerator<CarryRequest> {
    const calls = ids.map((id) => ({ id, method: call.path, timeoutMs: 0, request: call.request, metadata: {} }));
    yield await Promise.resolve({ calls, cancelledIds: [], identity: "", ends: [] });
  };
  const replies: { readonly id: number; readonly bytes: number; readonly message: string | undefined }[] = [];
  for await (const message of session.carry(requests(), new AbortController().signal)) {
    for (const { id, response, failure } of message.replies) {
      replies.push({ id, bytes: response.byteLength, message: failure?.message });
    }
  }
  expect(replies.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(ids);
  expect(replies.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(hotStreamBounds.waitingReplyBytesMax);
  const refused = replies.filter(({ bytes }) => bytes === 0);
  expect(refused.length).toBeGreaterThanOrEqual(4);
  expect(refused[0]?.message).toBe("Too many replies wait on this stream for their caller.");
});
