/**
 * Texts of forms. Forms are built from schemas, whose descriptions address callers of the Control Plane; texts that the rules of
 * `describe` cannot adapt are listed here.
 */

/** Labels by argument, where they do not follow from its name. */
export const labels: Readonly<Record<string, string>> = {
  allow_for_seconds: "Allow calls for (s)",
  apply_to_output: "Check answers too",
  auth: "Upstream authentication",
  expose_as_mcp_tool: "Offer as MCP tool",
  external: "External guardrails",
  findings: "Keep findings",
  hold_tokens: "Tokens held back",
  input_price_per_million: "Input price",
  max_content_length: "Max content length",
  max_request_tokens: "Max request tokens",
  max_response_tokens: "Max response tokens",
  mid_stream: "Interrupted stream",
  on_failure: "When it is unavailable",
  on_ledger_unavailable: "When limits are unavailable",
  on_tools_changed: "When a tool changes",
  on_unavailable: "When guardrails are unavailable",
  output_price_per_million: "Output price",
  pass_metadata: "List titles and icons",
  path: "Only at (JSONPath)",
  replace: "Replace the project's policy",
  secret_kept: "Keep the saved secret",
  session_mode: "Sessions",
  shadow: "On trial",
  surfaces: "Traffic",
  tool: "Only in tool",
  trust_caller_instructions: "Trust callers' instructions",
};

/** Hints by an argument's description, without its project types. */
export const hints: Readonly<Record<string, string>> = {
  'Calls with limits or a budget while the database of the ledger is away: "refuse" (503), or {"allow_for_seconds": 60} to go on so long by what was leased and last known.':
    "How calls with rate limits or a budget are handled while their counters are unavailable: refused, or allowed for a while by the last known counts.",
  "At most what its tokens may do.":
    "chat calls models, mcp uses the MCP route, models lists an AI Wrapper's models, proxy calls an API Gateway.",
  "Seconds of an outage.": "Calls are refused after this many seconds.",
  "The token's prefix: svc_live_ or svc_test_.": "What the token is for; its beginning shows it.",
  "Whether `stream: true` is honoured. When absent: true in ai_wrapper projects, whose clients expect it, else false.":
    "Callers may ask for the answer as a stream.",
  "Whether the endpoint is a tool on the project's MCP route.": "MCP clients of the project can call it as a tool.",
  "Shown to MCP clients.": "What it does, for people and for MCP clients.",
  "Estimated tokens of one request.": "Longer requests are refused; their tokens are estimated.",
  "Tokens of one answer, reasoning included: a longer limit of a request, or none, becomes this one before the provider is asked, and the answer ends there with finish_reason length.":
    "Longer answers end there; reasoning counts.",
  "Model parameters sent with every call, such as temperature. At most 64 levels deep and 20000 characters as JSON text.":
    "Model parameters that are sent with every call, such as temperature.",
  "JSON Schema of the request body. At most 64 levels deep and 65536 characters as JSON text.":
    "Requests must be valid under this JSON Schema.",
  "JSON Schema of the model's output, parsed as JSON. At most 64 levels deep and 65536 characters as JSON text.":
    "Answers must be JSON that is valid under this JSON Schema.",
  "Bound of one attempt at one target, milliseconds.": "Longest wait for an answer; the gateway's default where empty.",
  "From a stream's request to its first token, milliseconds; timeout_ms where absent.":
    "Longest wait for the first token of a stream; the timeout where empty.",
  "Longest silence inside an answer, milliseconds; timeout_ms where absent.":
    "Longest wait between two parts of an answer; the timeout where empty.",
  "The outcome of a stream that breaks off at the provider: error ends it with an error event, hold sends nothing before the answer is whole (or hold_tokens of it are there), continue has the next target go on from the text so far.":
    "What callers get when a provider breaks off in the middle of an answer.",
  "With mid_stream hold: how many tokens are held before the stream is passed on as it comes; the whole answer where absent.":
    "Tokens to hold back before anything is sent; empty holds the whole answer.",
  "Requests with another method are answered 405.": "Requests with another method are refused.",
  "The endpoint's own authorisation; a caller's Authorization never reaches the upstream.":
    "How the gateway authenticates to the upstream; callers' credentials never reach it.",
  "The provider's key, stored sealed and never shown; or where it is kept: env:NAME, file:/path.":
    "Stored sealed and never shown again; or where it is kept: env:NAME, file:/path.",
  "US dollars for a million input tokens.": "US$ per million tokens",
  "US dollars for a million output tokens.": "US$ per million tokens",
  "Further tries at this target before the next one; 0 when absent.": "Before the next target",
  "A unique name; targets refer to it.": "A unique name, by which targets of endpoints refer to it.",
  "Grant by which access tokens are obtained.": "How the gateway gets access tokens.",
  "Of the grant refresh_token, required: the first one; stored sealed and never shown.":
    "The initial refresh token, required by the grant of that name; stored sealed and never shown.",
  "Sent to the upstream as `Authorization: Bearer …`. It is sealed, and never shown again; or where it is kept: env:NAME, file:/path.":
    "Sent to the upstream as a Bearer token. Stored sealed and never shown again; or where it is kept: env:NAME, file:/path.",
  "Action when a tool's definition differs from the approved one: allow approves it, warn (the default) lists it, hide does not list it, block refuses its calls too.":
    "What happens when a tool's definition is no longer the approved one.",
  "Callers that share a session of the upstream; per_token is the default.": "Who shares a session of the upstream.",
  "The uuids of the projects that the role is for; null or absent is the whole gateway.":
    "Projects that the role is for; empty is the whole gateway.",
  "Entities to look for; where absent, all but national_id, person_name, postal_address and birth_date.":
    "What to look for, such as email, iban or national_id.us; where empty, all but national ids, names, postal addresses and dates of birth.",
  "Kinds that are not looked for.": "Kinds of credentials that are not looked for.",
  "Blocked as whole words, in any case and disguise.": "Words and phrases to block, in any case and disguise.",
  "Own patterns.": "Custom patterns: matches are blocked, masked or recorded.",
  "Shown to callers in place of the keyword.": "Shown to callers in place of the match.",
  "A regular expression in RE2 syntax that does not match empty text.":
    "What to look for: a regular expression in RE2 syntax.",
  "A JSONPath: looks at these values of texts that are JSON, such as arguments of tools and bodies of an API Gateway.":
    "Limits the pattern to these JSON values, such as $.customer.iban of a tool's arguments or of an API Gateway's bodies.",
  "Looks at arguments and results of this tool; * stands for any letters. A tool of an MCP Gateway has its upstream's prefix: crm__find.":
    "Limits the pattern to arguments and results of this tool; * stands for any letters. A tool of an MCP Gateway is written with its upstream's prefix, such as crm__find.",
  "Unicode code points of all texts of a request.": "Maximum characters across all texts of a request.",
  "Whether callers' system and developer messages are exempt from the injection check; false where absent.":
    "Callers' system and developer messages are not checked for prompt injection.",
  "Whether calls are refused (closed, the default) or go on while the guardrails are away.":
    "How calls are handled while guardrails are unavailable.",
  "chat (chat routes, Wrapper and MCP Bridge), mcp (of an MCP Gateway project's policy: calls and results of tools), api (request bodies of an API Gateway). By default that of the project's type.":
    "What is checked: chat (chat routes, Wrapper, MCP Bridge), mcp (tools of an MCP Gateway), api (requests of an API Gateway). Empty is that of the project's type.",
  "Numbers masks and puts their values back into answers; on mcp and api, checked ones.":
    "Masks are numbered, and the original values are restored in answers; for MCP and API Gateways in checked answers only.",
  "Findings that svc_list_findings keeps; plain where absent.": "What is kept of findings, for 30 days.",
  "Of an endpoint's policy: whether it stands in place of its project's instead of adding to it.":
    "This policy replaces the project's policy instead of adding to it.",
  "Checks that are tried beside those in force, and decide nothing; svc_get_guardrail_comparison tells the difference.":
    "Checks that are evaluated and recorded, but never enforced.",
  "Form of its requests and replies.": "Its request format.",
  "Address that questions are posted to; a public one, or one that EGRESS_ALLOW names.":
    "Where texts are posted for judgement: a public address, or one that the gateway's settings allow.",
  "Signs questions of kind http, else sent as a Bearer token. Or where it is kept: env:NAME, file:/path.":
    "Signs questions of the kind http, else it is sent as a Bearer token. Or where it is kept: env:NAME, file:/path.",
  "Whether calls are refused (closed, the default) or go on without it.": "How calls are handled then.",
  "Of presidio; en where absent.": "Language of the texts; en where empty.",
  "Of presidio; all that it knows where absent.": "What to look for; everything that it supports where empty.",
  "Sides; both where absent.": "Requests (input), answers (output); both where empty.",
  "Access tokens.": "Access tokens, by their ids.",
  "Models of which the endpoint may ask one.": "Endpoints that may ask one of these models.",
  "Headers, user-agent or beginning with x-, by their names, and the values of which they have one.":
    'Headers and the values of which they have one, such as {"x-team": ["blue"]}; only user-agent and names that begin with x-.',
};

/** Labels of choices by argument. */
export const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  environment: { live: "Live (svc_live_…)", test: "Test (svc_test_…)" },
  findings: { off: "Nothing", plain: "What and where", excerpts: "What and where, with the text around it" },
  mid_stream: {
    error: "End the answer with an error",
    hold: "Hold back until the answer is complete",
    continue: "Continue with the next target",
  },
  on_failure: { closed: "Refuse calls", open: "Let calls through" },
  on_ledger_unavailable: { refuse: "Refuse calls" },
  on_tools_changed: {
    allow: "Approve it",
    warn: "List it, with a warning here",
    hide: "Do not list it",
    block: "Do not list it, and refuse its calls",
  },
  on_unavailable: { closed: "Refuse calls", open: "Let calls through unchecked" },
  project_type: {
    ai_gateway: "AI Gateway",
    mcp_gateway: "MCP Gateway",
    ai_wrapper: "AI Wrapper",
    api_gateway: "API Gateway",
  },
  session_mode: { per_token: "Each token has its own", shared: "All share one", per_call: "Each call has its own" },
  when: { before: "Before the model is asked", parallel: "While the model is asked" },
};
