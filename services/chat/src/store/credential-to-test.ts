import { GatewayError } from "@gatehouse/errors";
import type { ProviderAddress } from "@gatehouse/providers";
import { isProviderKind } from "@gatehouse/providers";
import type { Keyring } from "@gatehouse/vault";
import type { ChatStore } from "./chat-store.ts";
import { openKey } from "./credentials.ts";

/**
 * Where calls with one credential go, whether it is in use or not, and a model that an endpoint asks the provider for.
 * @throws GatewayError `not_found` for an unknown id.
 */
export async function readCredentialToTest(
  store: ChatStore,
  keyring: Keyring,
  id: number,
): Promise<{ readonly address: Omit<ProviderAddress, "model">; readonly model: string | undefined }> {
  const { credential, endpoint } = await store.read(async (client) => {
    const found = await client.credential.findUnique({ where: { id }, include: { provider: true } });
    if (found === null) throw new GatewayError("not_found", `Credential not found: ${id}`);
    const where = { targets: { array_contains: [{ provider: found.provider.name }] } };
    const using = await client.endpoint.findFirst({ where, select: { targets: true }, orderBy: { id: "asc" } });
    return { credential: found, endpoint: using };
  });
  const { uuid, sealedKey, provider } = credential;
  if (!isProviderKind(provider.kind)) throw new TypeError(`A provider is of the unknown kind ${provider.kind}.`);
  const address = {
    provider: provider.name,
    kind: provider.kind,
    baseUrl: provider.baseUrl?.replace(/\/+$/, ""),
    apiKey: openKey(keyring, { uuid, sealedKey }),
    credentialUuid: uuid,
  };
  return { address, model: modelOf(endpoint?.targets, provider.name) };
}

function modelOf(targets: unknown, provider: string): string | undefined {
  const known = Array.isArray(targets) ? (targets as readonly { provider: string; model: string }[]) : [];
  return known.find((target) => target.provider === provider)?.model;
}
