export type { JsonObject } from "@gatehouse/json";
export {
  type Access,
  administerGateway,
  administerProject,
  readGateway,
  readProject,
  writeGateway,
  writeProject,
} from "./access.ts";
export { type AdminContext, type AdminOwner, bindAdmin } from "./bind-admin.ts";
export { type AnswerOnce, callOnce, takesNoKey } from "./call-once.ts";
export { createArgumentsCheck } from "./check-arguments.ts";
export {
  defineOperation,
  type JudgedCall,
  type Operation,
  type OperationCall,
  type OperationDefinition,
  type Planned,
  type Subject,
} from "./operation.ts";
export { jsonObject } from "./json-object.ts";
export { dollars } from "./dollars.ts";
export {
  type Collection,
  type CollectionDefinition,
  defineCollection,
  encodePage,
  pageOf,
  type ReadPage,
} from "./collection.ts";
export { endpointOperation } from "./endpoint-operation.ts";
export { isSameHost, refuseKeptSecrets } from "./kept-secret.ts";
export { type Key, projectIsFull, resourceNotFound, rowKey, uuidKey, quote } from "./keys.ts";
export { isRowId, rowIdMax, toPageRequest } from "./paging.ts";
export { isUuid, parseUuid, uuidPattern } from "@gatehouse/json";
export {
  type Columns,
  defineResource,
  type Field,
  fixed,
  ofProject,
  requiredSecret,
  type Resource,
  secret,
  isSameStored,
  secretMember,
  shown,
  writable,
  writableName,
  writableOptional,
} from "./resource.ts";
export {
  httpUrl,
  httpUrlRule,
  httpUrlWithoutFragment,
  id,
  literalOrObject,
  matching,
  matchingOrInteger,
  nameOrId,
  numberOrString,
  page,
  project,
  reference,
  slug,
  urlLengthMax,
  urlWithoutFragment,
  withoutItems,
  withoutMembers,
} from "./arguments.ts";
export {
  array,
  boolean,
  discriminatedUnion,
  integer,
  looseObject,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  refined,
  string,
  union,
  unknown,
  withDefault,
  withMessages,
} from "./schemas.ts";
export type { Static as ValueOf, TSchema as Schema } from "typebox";
export { atLeastOneOf, exactlyOneOf } from "./rules-across.ts";
export { timestamp, toDate, toTimestamp } from "./timestamp.ts";
