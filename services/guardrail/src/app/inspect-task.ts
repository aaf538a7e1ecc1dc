import { runAtOnce } from "@gatehouse/pace";
import type { Task } from "@gatehouse/workers";
import { compileDocumentSteps, type CompiledPolicy } from "../domain/policy/compile-policy.ts";
import { type Inspected, inspectTexts } from "../domain/policy/inspect.ts";
import type { PolicyDocument } from "../domain/policy/policy-document.ts";
import type { InspectRequest } from "../domain/policy/verdict.ts";
import { loadModel } from "../model-file.ts";
import { warmUp } from "./warm-up.ts";

/** A question to a thread. The policy comes along only where the thread has asked for it. */
export interface InspectTaskInput {
  readonly policyKey: string;
  readonly document?: PolicyDocument;
  readonly request: InspectRequest;
}

/** `unknown_policy` where the thread has not been sent the policy yet: the task is then sent again with it. */
export type InspectTaskOutput =
  | { readonly kind: "judged"; readonly inspected: Inspected }
  | { readonly kind: "unknown_policy" };

/** Compiled policies that one thread keeps; the one unused for longest goes first. */
const policiesMax = 64;
const policies = new Map<string, CompiledPolicy>();

// A thread is ready, and the time of its tasks begins, once this module is loaded.
warmUp();

/** Judges texts on a worker thread. */
export const run: Task<InspectTaskInput, InspectTaskOutput> = ({ policyKey, document, request }) => {
  const policy = policies.get(policyKey) ?? (document && runAtOnce(compileDocumentSteps(document, loadModel())));
  if (policy === undefined) return { kind: "unknown_policy" };
  policies.delete(policyKey);
  policies.set(policyKey, policy);
  for (const oldest of policies.keys()) {
    if (policies.size <= policiesMax) break;
    policies.delete(oldest);
  }
  return { kind: "judged", inspected: inspectTexts(policy, request) };
};
