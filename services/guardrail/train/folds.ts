export const folds = 5;

/** Which fold an example belongs to: by its cluster, so that near-duplicates stay together. */
export function foldOf(cluster: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < cluster.length; index += 1)
    hash = Math.imul(hash ^ cluster.charCodeAt(index), 0x0100_0193);
  return ((hash ^ (hash >>> 13)) >>> 0) % folds;
}
