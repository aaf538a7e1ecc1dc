import { lookup } from "node:dns/promises";

/** The addresses of a name, by the system's resolver. */
export async function resolveName(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** @throws Error when the work takes longer. */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The name was not resolved in time.")), timeoutMs);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
