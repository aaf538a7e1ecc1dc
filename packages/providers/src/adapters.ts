export { createProviderAdapters, type ProviderAdapters } from "./create-provider-adapters.ts";
