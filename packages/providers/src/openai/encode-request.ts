import { encodeJsonBody, type JsonObject } from "@gatehouse/json";

/** Fields that the adapter sets; undefined removes one. */
interface ManagedFields {
  readonly model: string;
  readonly stream?: true | undefined;
  readonly stream_options?: object | undefined;
}

/**
 * A request as JSON, always encoded from the values that were checked and never the text that they came in, so that no parser
 * finds in it what the guardrails have not seen. A large one is written in slices.
 */
export function encodeRequest(request: JsonObject, managed: ManagedFields): string | Promise<Buffer> {
  return encodeJsonBody({ ...request, stream: undefined, stream_options: undefined, ...managed });
}
