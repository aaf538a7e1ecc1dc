import { once } from "node:events";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { lapse } from "@gatehouse/async/testing";
import { expect, test } from "vitest";
import { carrierBounds } from "./bounds.ts";
import { CallCarrier } from "./call-carrier.ts";

test("a lost connection with calls looks no more whether its process has others", async () => {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  let looks = 0;
  const carrier = new CallCarrier(Object.assign(socket, { setNoDelay() {} }) as unknown as Socket, {
    onOver() {},
    onDrain() {},
    isNeeded() {
      looks += 1;
      return true;
    },
  });
  const failures: Error[] = [];
  const ignored = () => {};
  const handler = { onResponseStart: ignored, onResponseData: ignored, onResponseEnd: ignored };
  const onResponseError = (_controller: unknown, cause: Error) => void failures.push(cause);
  const request = { origin: "", path: "/", method: "GET", headers: {} } as const;
  carrier.dispatch(request, undefined, { ...handler, onResponseError });
  socket.destroy();
  await once(socket, "close");
  expect(failures).toHaveLength(1);
  const before = looks;
  await lapse(5 * carrierBounds.neededIntervalMs, "it would look again every 20 ms");
  expect(looks).toBe(before);
});
