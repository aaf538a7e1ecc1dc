import { runAtOnce } from "@gatehouse/pace";
import type { InjectionModel } from "../injection/model.ts";
import { compileDocumentSteps, type CompiledPolicy } from "./compile-policy.ts";
import { parsePolicy } from "./parse-policy.ts";

/** Checks and compiles an untrusted policy document. Throws `invalid_argument` naming the field and position. */
export function compilePolicyWith(document: unknown, model: InjectionModel): CompiledPolicy {
  return runAtOnce(compilePolicySteps(document, model));
}

/** Compiles a policy in steps of a keyword or so, since ten thousand take a fifth of a second. */
export function* compilePolicySteps(document: unknown, model: InjectionModel): Generator<void, CompiledPolicy> {
  return yield* compileDocumentSteps(parsePolicy(document), model);
}
