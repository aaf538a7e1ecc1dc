/** Nodes and their successors; a missing key has none. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** One shortest cycle for each set of nodes that reach each other, so that fixing it shows the next; in a stable order. */
export function findCycles(graph: Graph): string[][] {
  const cycles: string[][] = [];
  const seen = new Set<string>();
  for (const start of [...graph.keys()].toSorted()) {
    if (seen.has(start)) continue;
    const cycle = shortestCycle(graph, start);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    for (const node of reachable(graph, start)) if (reachable(graph, node).has(start)) seen.add(node);
  }
  return cycles;
}

/** Shortest path from a node back to itself, by breadth-first search. */
function shortestCycle(graph: Graph, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const node of queue) {
    for (const next of graph.get(node) ?? []) {
      if (next === start) return pathTo(node, cameFrom);
      if (cameFrom.has(next) || !graph.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return undefined;
}

function pathTo(node: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path = [node];
  for (let at = cameFrom.get(node); at !== undefined; at = cameFrom.get(at)) path.unshift(at);
  return path;
}

function reachable(graph: Graph, start: string): ReadonlySet<string> {
  const found = new Set([start]);
  for (const node of found) for (const next of graph.get(node) ?? []) if (graph.has(next)) found.add(next);
  return found;
}
