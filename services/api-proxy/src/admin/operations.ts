import { endpointOperations } from "./endpoint-operations.ts";
import { oauthOperations } from "./oauth-operations.ts";

/** All operations of this service; also the subject of the schema tests. */
export const operations = [...endpointOperations, ...oauthOperations];
