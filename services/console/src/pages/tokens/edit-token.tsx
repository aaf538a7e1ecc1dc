import { useParams } from "@tanstack/react-router";
import { useNewest } from "../../api/conflict.ts";
import { useEndpoints, useTokens } from "../../api/reads.ts";
import type { Token } from "../../api/types.ts";
import { notifyDone } from "../../parts/notify.ts";
import { OperationDrawer } from "../../parts/operation-drawer.tsx";
import type { FieldProps } from "../../parts/schema-form/field.ts";
import { KnownTagsField } from "../../parts/schema-form/known-values-field.tsx";

/** Custom fields of a token's forms. */
export const tokenFields = {
  endpoints: function EndpointsField(props: FieldProps) {
    const { project } = useParams({ from: "/projects/$project" });
    const { data } = useEndpoints(project);
    return <KnownTagsField {...props} known={(data?.endpoints ?? []).map(({ slug }) => slug)} />;
  },
};

/** Form of an existing token. */
export function EditToken({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const onDone = () => {
    onClose();
    notifyDone("The token is saved.");
  };
  const tokens = useTokens(token.project);
  const newest = useNewest(token, tokens, (data) => data.tokens.find(({ id }) => id === token.id));
  return (
    <OperationDrawer
      title={`Edit ${token.name}`}
      operation="svc_update_token"
      fields={tokenFields}
      fixed={{ token_id: token.id }}
      submitLabel="Save"
      {...newest}
      {...{ onDone, onClose }}
    />
  );
}
