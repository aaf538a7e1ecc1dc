import type { ExternalKind } from "./external-document.ts";
import type { ExternalAdapter } from "./external-verdict.ts";
import { httpAdapter } from "./http-adapter.ts";
import { llamaGuardAdapter, llmJudgeAdapter } from "./model-adapters.ts";
import { presidioAdapter } from "./presidio-adapter.ts";

/** The adapter of each kind. */
export const adapters: Readonly<Record<ExternalKind, ExternalAdapter>> = {
  http: httpAdapter,
  presidio: presidioAdapter,
  llama_guard: llamaGuardAdapter,
  llm_judge: llmJudgeAdapter,
};
