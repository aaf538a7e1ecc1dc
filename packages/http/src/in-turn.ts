import type { RequestListener } from "node:http";
import type { Socket } from "node:net";

/** Requests of one connection that wait behind the one under way; a client that sends more without waiting is cut off. */
export const pipelinedMax = 1_000;

interface Line {
  isBusy: boolean;
  readonly waiting: (() => void)[];
}

/**
 * Hands the requests of one connection on one after the other, each in a turn of the event loop: replies go out in that order anyway,
 * and the thousands of requests that fit into one piece of a connection would all begin in one turn otherwise.
 */
export function inTurn(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  return (req, res) => {
    const { socket } = req;
    if (socket.destroyed) return;
    const line = lines.get(socket) ?? { isBusy: false, waiting: [] };
    lines.set(socket, line);
    const begin = () => {
      line.isBusy = true;
      res.once("close", end);
      listener(req, res);
    };
    const end = () => {
      line.isBusy = false;
      const next = line.waiting.shift();
      if (next === undefined) return;
      // One that comes meanwhile goes behind those that wait.
      line.isBusy = true;
      setImmediate(() => (socket.destroyed ? undefined : next()));
    };
    if (!line.isBusy) begin();
    else if (line.waiting.length < pipelinedMax) line.waiting.push(begin);
    else socket.destroy();
  };
}
