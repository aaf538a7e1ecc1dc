import assert from "node:assert/strict";
import type { PrincipalServiceClient, WatchPrincipalsResponse } from "@gatehouse/proto/control-plane";
import { hashToken } from "./token-format.ts";

/** Longest wait for a pushed change, ms: the router's bound without a push. */
const pushedWithinMs = 5_000;

/** A token of a separate project. */
export interface IssuedToken {
  readonly token: string;
  readonly tokenId: number;
  readonly projectUuid: string;
}

/** A control plane, or its fake in the router's tests, with the administrative actions that the contract needs. */
export interface PrincipalWorld {
  readonly client: PrincipalServiceClient;
  issueToken(): Promise<IssuedToken>;
  revoke(issued: IssuedToken): Promise<void>;
  changeProject(issued: IssuedToken): Promise<void>;
  deleteProject(issued: IssuedToken): Promise<void>;
  /** Lets the project accept the JWTs of an issuer, for the scope `mcp`. */
  trustIssuer(issued: IssuedToken): Promise<void>;
  /** @returns the key's plaintext */
  issueAdminKey(): Promise<string>;
  revokeAdminKey(key: string): Promise<void>;
}

type Subject = NonNullable<WatchPrincipalsResponse["subject"]>;
type Check = (world: PrincipalWorld) => Promise<void>;

/** Contract of `PrincipalService` that the router relies on, by behaviour. The control plane's tests and the router's run it. */
export const principalContract: Readonly<Record<string, Check>> = {
  async "a token is found by its hash, with its project, until it is revoked"(world) {
    const issued = await world.issueToken();
    const principal = await findToken(world, issued.token);
    assert.equal(principal?.tokenId, issued.tokenId);
    assert.equal(principal.project?.uuid, issued.projectUuid);
    assert.equal(await findToken(world, `${issued.token.slice(0, -1)}_`), undefined);
    await expectPush(world, { $case: "tokenId", value: issued.tokenId }, async () => await world.revoke(issued));
    assert.equal(await findToken(world, issued.token), undefined);
  },
  async "a change of a project is pushed, and its tokens stay"(world) {
    const issued = await world.issueToken();
    const subject: Subject = { $case: "projectUuid", value: issued.projectUuid };
    await expectPush(world, subject, async () => await world.changeProject(issued));
    assert.equal((await findToken(world, issued.token))?.tokenId, issued.tokenId);
  },
  async "the tokens of a deleted project are deleted with it"(world) {
    const issued = await world.issueToken();
    const subject: Subject = { $case: "projectUuid", value: issued.projectUuid };
    await expectPush(world, subject, async () => await world.deleteProject(issued));
    assert.equal(await findToken(world, issued.token), undefined);
  },
  async "an issuer is listed once a project trusts it, and that is pushed"(world) {
    const issued = await world.issueToken();
    const list = async () => (await world.client.listTrustedIssuers({})).issuers;
    const isOfProject = ({ projectUuid }: { readonly projectUuid: string }) => projectUuid === issued.projectUuid;
    assert.equal((await list()).some(isOfProject), false);
    await expectPush(world, "issuerId", async () => await world.trustIssuer(issued));
    const [issuer] = (await list()).filter(isOfProject);
    assert.deepEqual(issuer?.scopes, ["mcp"]);
  },
  async "a JWT without a trusted issuer is refused with a reason"(world) {
    const { projectUuid } = await world.issueToken();
    const { principal, refusal } = await world.client.resolveJwt({ jwt: "a.b.c", projectUuid });
    assert.equal(principal, undefined);
    assert.notEqual(refusal, "");
  },
  async "an admin key is found by its hash until it is revoked"(world) {
    const key = await world.issueAdminKey();
    const { id = 0 } = (await findAdminKey(world, key)) ?? {};
    assert.ok(id > 0);
    assert.equal(await findAdminKey(world, `${key.slice(0, -1)}_`), undefined);
    await expectPush(world, { $case: "adminKeyId", value: id }, async () => await world.revokeAdminKey(key));
    assert.equal(await findAdminKey(world, key), undefined);
  },
  async "a console session acts as its key's administrator until it ends"(world) {
    const key = await world.issueAdminKey();
    const { session, sessionId } = await openSession(world, key, key);
    assert.equal(session?.adminKey?.id, (await findAdminKey(world, key))?.id);
    assert.equal((await findSession(world, sessionId))?.id, session?.id);
    const end = async () => void (await world.client.endSession({ sessionId: session?.id ?? 0, ipAddress: "::1" }));
    await expectPush(world, { $case: "consoleSessionId", value: session?.id ?? 0 }, end);
    assert.equal(await findSession(world, sessionId), undefined);
    await end();
  },
  async "a key that was replaced after its check opens no session"(world) {
    const key = await world.issueAdminKey();
    const { session, sessionId } = await openSession(world, key, `${key.slice(0, -1)}_`);
    assert.deepEqual([session, sessionId], [undefined, ""]);
  },
  async "the sessions of a revoked key end with it"(world) {
    const key = await world.issueAdminKey();
    const { sessionId } = await openSession(world, key, key);
    await world.revokeAdminKey(key);
    assert.equal(await findSession(world, sessionId), undefined);
  },
};

async function findToken({ client }: PrincipalWorld, token: string) {
  return (await client.resolveToken({ tokenHash: hashToken(token) })).principal;
}

async function findAdminKey({ client }: PrincipalWorld, key: string) {
  return (await client.resolveAdminKey({ keyHash: hashToken(key), ipAddress: "::1" })).adminKey;
}

async function findSession({ client }: PrincipalWorld, sessionId: string) {
  return (await client.resolveSession({ sessionHash: hashToken(sessionId) })).session;
}

/** @param shown key whose hash is sent, possibly another key's */
async function openSession(world: PrincipalWorld, key: string, shown: string) {
  const adminKeyId = (await findAdminKey(world, key))?.id ?? 0;
  return await world.client.openSession({
    adminKeyId,
    keyHash: hashToken(shown),
    ipAddress: "::1",
    userAgent: "Firefox",
  });
}

/** Expects a watch, after an empty first message, to name the subject once `act` has changed it. @param wanted the subject, or its kind */
async function expectPush(world: PrincipalWorld, wanted: Subject | Subject["$case"], act: () => Promise<void>) {
  const signal = AbortSignal.timeout(pushedWithinMs);
  const changes = world.client.watchPrincipals({}, { signal })[Symbol.asyncIterator]();
  const { value: first } = await changes.next();
  assert.deepEqual(first, { subject: undefined });
  await act();
  for (;;) {
    const { value, done } = await changes.next();
    assert.notEqual(done, true, "The watch ended.");
    const { subject } = value as WatchPrincipalsResponse;
    if (typeof wanted === "string" ? subject?.$case === wanted : isSame(subject, wanted)) break;
  }
  await changes.return?.();
}

function isSame(one: Subject | undefined, other: Subject): boolean {
  return one?.$case === other.$case && one.value === other.value;
}
