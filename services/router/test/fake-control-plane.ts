import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { EventEmitter } from "node:events";
import { GatewayError } from "@gatehouse/errors";
import { hashToken, mintAdminKey, mintSessionId, mintToken } from "@gatehouse/principal";
import {
  type AdminKey,
  type ConsoleSession,
  PrincipalServiceDefinition,
  type PrincipalServiceImplementation,
  type TrustedIssuer,
  type WatchPrincipalsResponse,
} from "@gatehouse/proto/control-plane";
import type { Principal } from "@gatehouse/proto/principal";
import { bindRpc, type RpcServer, startRpcServer } from "@gatehouse/rpc";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import type { ServiceTrust } from "@gatehouse/trust";

export interface IssuedToken {
  readonly token: string;
  readonly tokenId: number;
  readonly projectUuid: string;
}

export interface TokenRequest {
  readonly projectUuid?: string;
  readonly projectType?: string;
  readonly scopes?: string[];
  readonly expiresAt?: Date;
}

/** In-memory control plane over real gRPC; keeps its port over restarts. */
export class FakeControlPlane {
  readonly resolves: string[] = [];
  readonly adminAttempts: string[] = [];
  /** While set, questions and streams fail as if the database were down. */
  failing = false;
  readonly #trust: ServiceTrust;
  readonly #principals = new Map<string, Principal>();
  readonly #admins = new Map<string, AdminKey>();
  readonly #sessions = new Map<string, ConsoleSession>();
  readonly jwts: string[] = [];
  readonly #issuers = new Map<string, TrustedIssuer>();
  readonly #changes = new EventEmitter();
  #server: RpcServer | undefined;
  #port = 0;
  #nextId = 1;

  constructor(trust: ServiceTrust) {
    this.#trust = trust;
    this.#changes.setMaxListeners(0);
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#server = await startRpcServer({
      bindings: [bindRpc(PrincipalServiceDefinition, this.implementation())],
      trust: this.#trust,
      log: createSilentTelemetry().log,
      address: `127.0.0.1:${this.#port}`,
    });
    this.#port = this.#server.port;
  }

  async stop(): Promise<void> {
    await this.#server?.stop(0);
    this.#server = undefined;
  }

  issueToken({
    projectUuid = randomUUID(),
    projectType = "ai_gateway",
    scopes = ["chat"],
    expiresAt,
  }: TokenRequest = {}): IssuedToken {
    const token = mintToken("live").reveal();
    const tokenId = this.#nextId++;
    this.#principals.set(hashToken(token).toString("hex"), {
      tokenId,
      tokenName: `token-${tokenId}`,
      environment: "live",
      scopes,
      expiresAt,
      project: {
        id: tokenId,
        uuid: projectUuid,
        name: "p",
        projectType,
        rateLimits: { perMinute: 600, perHour: 20_000 },
      },
    });
    return { token, tokenId, projectUuid };
  }

  /** Makes a project trust an issuer, or withdraws that, and pushes the change. */
  trust(projectUuid: string, isTrusted = true): void {
    const issuer = { projectUuid, projectType: "ai_gateway", issuer: "https://id.example.com", scopes: ["mcp"] };
    if (isTrusted) this.#issuers.set(projectUuid, issuer);
    else this.#issuers.delete(projectUuid);
    this.#push({ subject: { $case: "issuerId", value: 1 } });
  }

  /** Lets a JWT represent the subject of a token. */
  signIn({ token, projectUuid }: IssuedToken, jwt: string): void {
    const principal = this.#principals.get(hashToken(token).toString("hex"));
    if (principal === undefined) throw new Error("This token was not issued.");
    this.#principals.set(`${projectUuid} ${jwt}`, { ...principal, external: { issuerId: 1, subject: "ann" } });
  }

  issueAdminKey(): string {
    const key = mintAdminKey().reveal();
    this.#admins.set(hashToken(key).toString("hex"), { id: this.#nextId++, name: "admin", role: "owner" });
    return key;
  }

  /** Commits a revocation, and pushes it unless `pushed` is false. */
  revoke({ token, tokenId }: IssuedToken, pushed = true): void {
    this.#principals.delete(hashToken(token).toString("hex"));
    if (pushed) this.#push({ subject: { $case: "tokenId", value: tokenId } });
  }

  /** Revokes an admin key with its sessions. */
  revokeAdminKey(key: string): void {
    const hash = hashToken(key).toString("hex");
    const id = this.#admins.get(hash)?.id;
    this.#admins.delete(hash);
    for (const [each, { adminKey }] of this.#sessions) if (adminKey?.id === id) this.#sessions.delete(each);
    if (id !== undefined) this.#push({ subject: { $case: "adminKeyId", value: id } });
  }

  endSession(sessionId: number): void {
    for (const [hash, { id }] of this.#sessions) if (id === sessionId) this.#sessions.delete(hash);
    this.#push({ subject: { $case: "consoleSessionId", value: sessionId } });
  }

  /** Commits and pushes a change of the project that leaves its tokens valid. */
  changeProject({ projectUuid }: IssuedToken): void {
    this.#push({ subject: { $case: "projectUuid", value: projectUuid } });
  }

  /** Deletes a project with its token, and pushes the project's change only. */
  deleteProject({ token, projectUuid }: IssuedToken): void {
    this.#principals.delete(hashToken(token).toString("hex"));
    this.#push({ subject: { $case: "projectUuid", value: projectUuid } });
  }

  #push(message: WatchPrincipalsResponse): void {
    this.#changes.emit("change", message);
  }

  implementation(): PrincipalServiceImplementation {
    return {
      resolveToken: async ({ tokenHash }) => {
        this.#refuseWhileFailing();
        const hash = Buffer.from(tokenHash).toString("hex");
        this.resolves.push(hash);
        const principal = this.#principals.get(hash);
        return principal === undefined ? {} : { principal };
      },
      resolveAdminKey: async ({ keyHash, ipAddress }) => {
        this.#refuseWhileFailing();
        this.adminAttempts.push(ipAddress);
        const adminKey = this.#admins.get(Buffer.from(keyHash).toString("hex"));
        return adminKey === undefined ? {} : { adminKey };
      },
      openSession: async ({ adminKeyId, keyHash }) => {
        this.#refuseWhileFailing();
        const adminKey = this.#admins.get(Buffer.from(keyHash).toString("hex"));
        if (adminKey?.id !== adminKeyId) return { sessionId: "" };
        const sessionId = mintSessionId().reveal();
        const session = { id: this.#nextId++, adminKey, expiresAt: new Date(Date.now() + 60_000) };
        this.#sessions.set(hashToken(sessionId).toString("hex"), session);
        return { session, sessionId };
      },
      listSignInProviders: async () => ({ providers: [] }),
      startSignIn: async () => ({ authorizationUrl: "", attempt: "", refusal: "unknown_provider" }),
      finishSignIn: async () => ({ sessionId: "", refusal: "unknown_provider" }),
      resolveSession: async ({ sessionHash }) => {
        this.#refuseWhileFailing();
        const session = this.#sessions.get(Buffer.from(sessionHash).toString("hex"));
        return session === undefined ? {} : { session };
      },
      endSession: async ({ sessionId }) => {
        this.endSession(sessionId);
        return {};
      },
      resolveJwt: async ({ jwt, projectUuid }) => {
        this.#refuseWhileFailing();
        this.jwts.push(jwt);
        const principal = this.#principals.get(`${projectUuid} ${jwt}`);
        return principal === undefined ? { refusal: "Token has expired (exp)." } : { principal, refusal: "" };
      },
      listTrustedIssuers: async () => {
        this.#refuseWhileFailing();
        return { issuers: [...this.#issuers.values()] };
      },
      watchPrincipals: (_request, { signal }) => this.#watch(signal),
    };
  }

  #refuseWhileFailing(): void {
    if (this.failing) throw new GatewayError("unavailable", "The database is down.", { retryAfterSeconds: 1 });
  }

  async *#watch(signal: AbortSignal): AsyncGenerator<WatchPrincipalsResponse> {
    this.#refuseWhileFailing();
    const queue: WatchPrincipalsResponse[] = [{ subject: undefined }];
    const onChange = (message: WatchPrincipalsResponse) => queue.push(message);
    this.#changes.on("change", onChange);
    try {
      while (!signal.aborted) {
        yield* queue.splice(0);
        await once(this.#changes, "change", { signal });
      }
    } finally {
      this.#changes.off("change", onChange);
    }
  }
}
