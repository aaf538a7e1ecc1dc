import { ControlPlaneClient, type Json } from "../control-plane-client.ts";
import { exchange } from "../exchange.ts";
import type { Product } from "../product.ts";
import type { ListedTool } from "../tool-list/find-breaks.ts";
import { type Role, roles } from "./expected-access.ts";

/** An administrator with a key of one role, for the whole gateway or named projects. */
export interface Administrator {
  readonly name: string;
  readonly role: Role;
  /** Undefined for the whole gateway. */
  readonly projects: readonly string[] | undefined;
  readonly keyId: number;
  readonly key: string;
  /** Result of a call as JSON, or the error's code and message. */
  ask(operation: string, args: Json): Promise<string>;
  listTools(): Promise<readonly ListedTool[]>;
}

/** Creates an administrator of each role, for the whole gateway and for each list of projects. */
export async function createAdministrators(
  product: Product,
  reaches: Readonly<Record<string, readonly string[] | undefined>>,
): Promise<readonly Administrator[]> {
  const made: Administrator[] = [];
  for (const [reach, projects] of Object.entries(reaches)) {
    for (const role of roles)
      made.push(await createAdministrator(product, { name: `${role} of ${reach}`, role, projects }));
  }
  return made;
}

async function createAdministrator(
  product: Product,
  { name, role, projects }: Pick<Administrator, "name" | "role" | "projects">,
): Promise<Administrator> {
  const given = { name, role, ...(projects === undefined ? {} : { projects }) };
  const made = await new ControlPlaneClient(product).call<{ id: number; key: string }>("svc_create_admin_key", given);
  const client = new ControlPlaneClient({ url: product.url, adminKey: made.key });
  return {
    name,
    role,
    projects,
    keyId: made.id,
    key: made.key,
    async ask(operation, args) {
      const { result, error } = await client.request("tools/call", { name: operation, arguments: args });
      if (error !== undefined) return `${error.code} ${error.message}`;
      return JSON.stringify((result as { readonly structuredContent: unknown }).structuredContent);
    },
    async listTools() {
      const { result, error } = await client.request("tools/list");
      if (error !== undefined) throw new Error(error.message);
      return (result as { readonly tools: readonly ListedTool[] }).tools;
    },
  };
}

/** Signs in at the console, and returns the session's id. */
export async function signIn(product: Product, { key, keyId }: Administrator): Promise<number> {
  const reply = await exchange(`${product.url}/control/session`, { body: { key } });
  if (reply.status !== 200) throw new Error(reply.text);
  const { console_sessions: sessions } = await new ControlPlaneClient(product).call<{
    readonly console_sessions: readonly { readonly id: number; readonly admin_key_id: number }[];
  }>("svc_list_console_sessions");
  const session = sessions.find(({ admin_key_id: id }) => id === keyId);
  if (session === undefined) throw new Error("The session is not listed.");
  return session.id;
}
