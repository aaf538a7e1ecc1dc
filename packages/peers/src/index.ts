export { formatPeerAddress, parsePeerAddresses, parsePeerUrl, type PeerAddress } from "./address.ts";
export { afterReading } from "./after-reading.ts";
export { observePeers } from "./metrics.ts";
export { peerBounds } from "./bounds.ts";
export { type CallOutcome, type EarlierProcess, type Peer, type PeerConnection, type ProbeResult } from "./peer.ts";
export { PeerSet, type PeerSetOptions } from "./peer-set.ts";
