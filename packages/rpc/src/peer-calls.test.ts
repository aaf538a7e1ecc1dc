import { PeerSet } from "@gatehouse/peers";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { untraced } from "@gatehouse/telemetry";
import { expect, test, vi } from "vitest";
import { callPeers } from "./peer-calls.ts";
import type { PeerLink } from "./peer-link.ts";

test("a call that was aborted before its start does not take a peer out of use", async () => {
  const link: PeerLink = {
    client: () => ({ resolveToken: async () => await Promise.resolve({}) }),
    isConnected: () => true,
    probe: async () => await Promise.resolve("serving" as const),
    close: () => {},
  };
  const peers = new PeerSet<PeerLink>({
    service: "s",
    addresses: [{ host: "127.0.0.1", port: 1 }],
    open: () => link,
  });
  const client = callPeers(PrincipalServiceDefinition, peers, { timeoutMs: 1_000, tracing: untraced });
  await client.resolveToken({});
  vi.spyOn(link, "probe").mockReturnValue(new Promise(() => {}));
  const givenUp = client.resolveToken({}, { signal: AbortSignal.abort() });
  await expect(givenUp).rejects.toMatchObject({ code: "cancelled" });
  expect(peers.choose()).toBeDefined();
  peers.close();
});
