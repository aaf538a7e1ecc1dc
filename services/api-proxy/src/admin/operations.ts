import { endpointOperations } from "./endpoint-operations.ts";
import { oauthOperations } from "./oauth-operations.ts";

/** Every operation of this service: the list that it serves and that its schemas are tested by. */
export const operations = [...endpointOperations, ...oauthOperations];
