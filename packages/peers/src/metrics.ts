import { Counter, Gauge, type Registry } from "prom-client";
import type { PeerSet } from "./peer-set.ts";
import type { PeerConnection } from "./peer.ts";

type Watched = Map<string, PeerSet<PeerConnection>>;

/** Peer sets of one process share its registry; the service's name is a label. */
const watchedOf = new WeakMap<Registry, Watched>();

/** Registers the metrics of a service's processes, and of calls that have not reached one. */
export function observePeers(registry: Registry, service: string, peers: PeerSet<PeerConnection>): void {
  const watched = watchedOf.get(registry) ?? register(registry);
  watched.set(service, peers);
}

function register(registry: Registry): Watched {
  const watched: Watched = new Map();
  watchedOf.set(registry, watched);
  const registers = [registry];
  void new Gauge({
    name: "gatehouse_peers",
    help: "Processes of a service as this process knows them: serving, stopping, away, or resting because they answer too late.",
    labelNames: ["peer_service", "state"],
    registers,
    collect() {
      for (const [service, set] of watched) {
        const counts = { serving: 0, stopping: 0, away: 0, resting: 0 };
        for (const { state, isResting } of set.peers) counts[isResting && state !== "away" ? "resting" : state] += 1;
        for (const [state, count] of Object.entries(counts)) this.set({ peer_service: service, state }, count);
      }
    },
  });
  void new Gauge({
    name: "gatehouse_peer_calls_waiting",
    help: "Calls that wait for a process of a service.",
    labelNames: ["peer_service"],
    registers,
    collect() {
      for (const [service, { waitingCount }] of watched) this.set({ peer_service: service }, waitingCount);
    },
  });
  void new Counter({
    name: "gatehouse_peer_calls_refused_total",
    help: "Calls refused because no process of a service could take them.",
    labelNames: ["peer_service"],
    registers,
    collect() {
      this.reset();
      for (const [service, { refusedCount }] of watched) this.inc({ peer_service: service }, refusedCount);
    },
  });
  void new Counter({
    name: "gatehouse_peer_calls_resent_total",
    help: "Calls sent to another process because the one that held them was lost, which may have worked on them.",
    labelNames: ["peer_service"],
    registers,
    collect() {
      this.reset();
      for (const [service, { resentCount }] of watched) this.inc({ peer_service: service }, resentCount);
    },
  });
  return watched;
}
