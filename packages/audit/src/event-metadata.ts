import { Type } from "typebox";

/** Longest text in an event's metadata, in UTF-16 code units. */
const textLengthMax = 2_000;
/** Most entries of a list in an event's metadata. */
export const listLengthMax = 1_000;

const text = (description: string) => Type.String({ maxLength: textLengthMax, description });
const id = (description: string) => Type.Integer({ minimum: 1, description });
const uuid = (description: string) => Type.String({ format: "uuid", description });
const usd = (description: string) => Type.Number({ minimum: 0, description });
const list = (items: ReturnType<typeof text>, description: string) =>
  Type.Array(items, { maxItems: listLengthMax, description });

/** Names of fields, never their values. */
const changed = list(text(""), "The names of the arguments that were changed.");
const month = Type.String({ pattern: "^\\d{4}-(0[1-9]|1[0-2])$", description: "The calendar month, `YYYY-MM`, UTC." });

const closed = { additionalProperties: false } as const;

const token = {
  token_id: id("The access token's id."),
  environment: Type.Optional(text("`live` or `test`.")),
  scopes: Type.Optional(list(text(""), "The token's scopes.")),
};
const issuer = { issuer_id: id("The issuer's id.") };
const adminKey = { admin_key_id: id("The admin key's id.") };
const session = { session_id: id("The console session's id."), ...adminKey };
const endpoint = { endpoint: uuid("The endpoint's uuid."), slug: text("The endpoint's slug.") };
const provider = {
  provider_id: id("The provider's id."),
  kind: text("The provider's kind, such as `openai`."),
};
const credential = { credential_id: id("The credential's id."), provider: text("The provider's name.") };
const budget = {
  ...endpoint,
  month,
  spent_usd: usd("Cost of the month's settled calls, US dollars."),
  budget_usd: usd("The endpoint's monthly budget, US dollars."),
};
const upstream = { upstream_id: id("The upstream's id."), prefix: text("Prefix of its tools' names.") };
const connection = {
  connection_id: id("The OAuth connection's id."),
  grant: Type.Optional(text("The OAuth grant, such as `client_credentials`.")),
};
const webhook = { webhook_id: id("The webhook's id.") };
const tools = (what: string) => list(text(""), `Names of the tools that ${what}, the first ${listLengthMax} at most.`);
const toolCount = (what: string) => Type.Integer({ minimum: 0, description: `Number of all tools that ${what}.` });
const reason = text("Reason in words, without secrets.");

/** Schemas of metadata; unknown members are refused. */
export const metadataSchemas = {
  loginFailed: Type.Object(
    {
      reason: text("Why the key, or the sign-in, was refused."),
      subject: Type.Optional(text("Subject of the identity provider (sub), where it is known.")),
      attempts_unrecorded: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: "Attempts from the same address, since the last recorded one, that have no separate event.",
        }),
      ),
    },
    closed,
  ),
  adminKey: Type.Object(adminKey, closed),
  session: Type.Object(session, closed),
  project: Type.Object({ project_type: text("The project's type.") }, closed),
  projectUpdated: Type.Object({ project_type: text("The project's type."), changed }, closed),
  token: Type.Object(token, closed),
  tokenUpdated: Type.Object({ ...token, changed }, closed),
  issuer: Type.Object(issuer, closed),
  issuerUpdated: Type.Object({ ...issuer, changed }, closed),
  provider: Type.Object(provider, closed),
  providerUpdated: Type.Object({ ...provider, changed }, closed),
  credential: Type.Object(credential, closed),
  credentialUpdated: Type.Object({ ...credential, changed }, closed),
  endpoint: Type.Object(endpoint, closed),
  endpointUpdated: Type.Object({ ...endpoint, changed }, closed),
  targetRefused: Type.Object(
    {
      kind: provider.kind,
      model: text("The model that was asked for."),
      code: text("The refusal: `status_401`, `status_403` or `status_404`."),
    },
    closed,
  ),
  chatSession: Type.Object(
    {
      session_id: id("The session's id."),
      ...endpoint,
      token_id: id("The id of the access token whose session it was."),
    },
    closed,
  ),
  guardrailUpdated: Type.Object(
    {
      owner: Type.Union([Type.Literal("project"), Type.Literal("endpoint")], {
        description: "Owner of the policy: `project` or `endpoint`.",
      }),
      endpoint: Type.Optional(endpoint.endpoint),
      action: Type.Union([Type.Literal("set"), Type.Literal("removed")], { description: "`set` or `removed`." }),
    },
    closed,
  ),
  guardrailBlocked: Type.Object(
    {
      endpoint: Type.Optional(endpoint.endpoint),
      slug: Type.Optional(endpoint.slug),
      tool: Type.Optional(text("The tool of an MCP Gateway that was called, with its prefix.")),
      detector: text(
        "Check that found it: `content_length`, `keyword`, `pattern`, `secret`, `pii`, `prompt_injection` or `external`.",
      ),
      side: Type.Union([Type.Literal("input"), Type.Literal("output")], { description: "`input` or `output`." }),
      request_id: text("The call's `X-Request-Id`."),
      message: Type.Optional(
        text("The message that the caller got, without the words of an external guardrail. Never the call's text."),
      ),
      count: Type.Optional(
        Type.Integer({
          minimum: 1,
          description:
            "Blocks that the event stands for. The first ten of a token at an endpoint in a minute, by detector and side, have an event each; those that follow are one event a minute, about the last of them.",
        }),
      ),
      since: Type.Optional(text("Since when they were counted, where the event is a summary.")),
    },
    closed,
  ),
  budgetThreshold: Type.Object(
    {
      ...budget,
      threshold: Type.Integer({ minimum: 1, maximum: 100, description: "The share that was reached, per cent." }),
    },
    closed,
  ),
  budgetExhausted: Type.Object(budget, closed),
  upstream: Type.Object(upstream, closed),
  upstreamUpdated: Type.Object({ ...upstream, changed }, closed),
  upstreamToolsChanged: Type.Object(
    {
      ...upstream,
      added: tools("are new"),
      removed: tools("are gone"),
      changed: tools("have another definition"),
      added_count: toolCount("are new"),
      removed_count: toolCount("are gone"),
      changed_count: toolCount("have another definition"),
    },
    closed,
  ),
  connection: Type.Object(connection, closed),
  connectionUpdated: Type.Object({ ...connection, changed }, closed),
  connectionFailed: Type.Object({ ...connection, reason }, closed),
  webhook: Type.Object({ ...webhook, events: Type.Optional(list(text(""), "The events it subscribes to.")) }, closed),
  webhookUpdated: Type.Object({ ...webhook, changed }, closed),
  webhookRotated: Type.Object(
    {
      ...webhook,
      overlap_seconds: Type.Optional(
        Type.Integer({ minimum: 0, description: "Time for which the old secret still signs." }),
      ),
    },
    closed,
  ),
  webhookTest: Type.Object(
    { ...webhook, test: Type.Optional(Type.Literal(true, { description: "Always `true`." })) },
    closed,
  ),
  backupExported: Type.Object(
    {
      with_secrets: Type.Optional(
        Type.Boolean({
          description: "Always `true`: the secrets went with it, sealed to a recipient whom the caller named.",
        }),
      ),
    },
    closed,
  ),
} as const;
