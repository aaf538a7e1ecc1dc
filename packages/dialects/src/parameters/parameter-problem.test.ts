import { describe, expect, it } from "vitest";
import { findParameterProblem } from "./parameter-problem.ts";

const find = (own: object, allowed: readonly string[] = [], defaults: Record<string, unknown> | null = null) =>
  findParameterProblem(own as Record<string, unknown>, allowed, defaults);

describe("a caller's parameters", () => {
  it.each([
    ["models", "route", "provider", "transforms", "plugins", "preset"],
    ["fallbacks", "fallback_models", "context_window_fallbacks", "models_preference", "compound_custom"],
    ["api_base", "base_url", "api_key", "custom_llm_provider", "deployment_id", "engine"],
    ["extra_body", "extra_headers", "extra_query", "headers", "config", "targets", "virtual_key"],
    ["account", "azure_endpoint", "preferred_model", "draft_model", "speculative_config", "model_version", "target"],
    ["mcp_servers", "targetModel", "xProviderRegion", "routing-hints", "vendor.host", "tenant_id"],
    ["engine_id", "searchEngine", "backend", "vendor", "llm", "checkpoint", "access_token", "assistant_id", "webhook"],
    ["providerOptions", "provider-options", "Models", "MODELS", "model\u017f", "apiBase", "customLlmProvider"],
  ])("may not choose a model, a route or a provider: %s, %s, …", (...names) => {
    for (const name of names) expect(find({ temperature: 1, [name]: [] })).toEqual({ name, kind: "choosing" });
  });

  it.each(["mod\u00b7els", "mo\u2800dels", "ᴍᴏᴅᴇʟꜱ", "mode\u200bls", "temperatura_é", "a b", ""])(
    "may not have a name with characters that providers do not use: %j",
    (name) => {
      expect(find({ [name]: 1 })).toMatchObject({ name });
      expect(find({ [name]: 1 }, [name])).toBeUndefined();
    },
  );

  it("may not include a tool that names the server for the provider to call", () => {
    const own = { tools: [{ type: "mcp", server_url: "https://evil.example" }] };
    expect(find(own)).toEqual({ name: "tools", kind: "choosing" });
    expect(find(own, ["tools"])).toBeUndefined();
    expect(find({ Tools: own.tools })).toEqual({ name: "Tools", kind: "ambiguous" });
    expect(find({ tools: [{ type: "web_search" }] })).toBeUndefined();
  });

  it("may choose where the endpoint allows the parameter, in its exact spelling", () => {
    expect(find({ models: ["a"], provider: {} }, ["models", "provider"])).toBeUndefined();
    expect(find({ Models: ["a"] }, ["models"])).toEqual({ name: "Models", kind: "choosing" });
  });

  it.each(["Model", "MESSAGES", "\u017ftream", "Stream_Options", "Max_Tokens", "N", "Input", "Response_Format"])(
    "may not be %s, which some servers take for what the gateway sets",
    (name) => {
      expect(find({ [name]: 1 }, [name])).toEqual({ name, kind: "ambiguous" });
    },
  );

  it("may not differ only in case from a parameter of the endpoint", () => {
    expect(find({ Top_P: 1 }, [], { top_p: 0.5 })).toEqual({ name: "Top_P", kind: "ambiguous" });
    expect(find({ top_p: 1 }, [], { top_p: 0.5 })).toBeUndefined();
  });

  it.each([
    ["frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens", "modalities", "parallel_tool_calls"],
    ["prediction", "prompt_cache_key", "reasoning_effort", "safety_identifier", "service_tier", "verbosity"],
    [
      "web_search_options",
      "tool_choice",
      "top_logprobs",
      "stop",
      "seed",
      "store",
      "audio",
      "functions",
      "function_call",
    ],
    ["top_k", "thinking", "stop_sequences", "min_p", "repetition_penalty", "guided_json", "chat_template_kwargs"],
    ["safe_prompt", "random_seed", "generationConfig", "safetySettings", "cachedContent", "keep_alive", "options"],
  ])("of the dialects pass: %s, %s, …", (...names) => {
    for (const name of names) expect(find({ [name]: 1 })).toBeUndefined();
  });

  it("may have any other name", () => {
    const own = {
      temperature: 0,
      tools: [],
      max_tokens: 1,
      user: "u",
      metadata: {},
      reasoning: {},
      safetySettings: [],
      X: 1,
    };
    expect(
      find({ ...own, stream_options: {}, n: 1, response_format: {}, constructor: 1, ["__proto__x"]: 1 }),
    ).toBeUndefined();
  });
});
