import type { ChatStore } from "./chat-store.ts";

/** A provider with the credential that calls to it are made with: the oldest active one. */
export interface CredentialInUse {
  readonly provider: string;
  readonly enabled: boolean;
  readonly credential: { readonly id: number; readonly uuid: string; readonly name: string } | undefined;
}

/** Bounds the answer; a gateway has tens of providers. */
const providersMax = 1_000;

/** Each provider with the credential that calls use now; without one where it has none that is active. */
export async function listCredentialsInUse(context: ChatStore): Promise<readonly CredentialInUse[]> {
  const rows = await context.read(async (client) => {
    return await client.provider.findMany({
      select: {
        name: true,
        enabled: true,
        credentials: {
          select: { id: true, uuid: true, name: true },
          where: { isActive: true },
          orderBy: { id: "asc" },
          take: 1,
        },
      },
      orderBy: { id: "asc" },
      take: providersMax,
    });
  });
  return rows.map(({ name, enabled, credentials: [credential] }) => ({ provider: name, enabled, credential }));
}
