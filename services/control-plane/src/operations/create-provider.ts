import { encodeProvider } from "../clients/chat-encoding.ts";
import { oneOf, optional } from "../domain/arguments.ts";
import { defineOperation } from "./operation.ts";
import { baseUrl, providerKinds, providerName } from "./provider-arguments.ts";

export const createProvider = defineOperation({
  name: "svc_create_provider",
  description: "Registers a model provider under a name that targets refer to.",
  arguments: {
    name: providerName,
    kind: oneOf("Which interface the provider speaks.", providerKinds),
    base_url: optional(baseUrl),
  },
  async run({ name, kind, base_url: baseUrl }, { chat, caller }) {
    const definition = { name, kind, ...(baseUrl === undefined ? {} : { baseUrl }) };
    const { provider } = await chat.createProvider(definition, caller.optionsFor(null));
    return encodeProvider(provider);
  },
});
