import { heldBodyBytesMax } from "../src/clients/service-peers.ts";

/** A way of a call from the router to a service in another process. */
export interface Way {
  readonly name: string;
  readonly isCarrying: boolean;
  readonly size: number;
  readonly isProxied?: boolean;
}

export const ways: readonly Way[] = [
  { name: "on the connection that calls share", isCarrying: true, size: 10 },
  { name: "on a separate connection, beside one that calls share", isCarrying: true, size: 2 * heldBodyBytesMax },
  { name: "of a service whose calls share no connection", isCarrying: false, size: 10 },
  { name: "of the Control Plane", isCarrying: false, size: 10, isProxied: true },
];
