import { encodeJsonBody, type JsonObject, type WrittenStrings } from "@gatehouse/json";

/** Fields that the adapter sets; undefined removes one. */
interface ManagedFields {
  readonly model: string;
  readonly stream?: true | undefined;
  readonly stream_options?: object | undefined;
}

/**
 * A request as JSON, always encoded from the values that were checked and never the text that they came in, so that no parser
 * finds in it what the guardrails have not seen. A large one is written in slices.
 * @param written - values whose bytes are those that encoding them would give
 */
export function encodeRequest(
  request: JsonObject,
  managed: ManagedFields,
  written?: WrittenStrings,
): string | Promise<Buffer> {
  return encodeJsonBody({ ...request, stream: undefined, stream_options: undefined, ...managed }, written);
}
