import { announce } from '../../../display/announce';
import { AcceptanceDialog } from '../AcceptanceDialog';
import { useChange } from '../queries';
import { acceptResult, type CheckResult } from './queries';

/** Asks for the reason and the end of an exception. */
export function AcceptResult({ of: row, onClose }: { of: CheckResult; onClose: () => void }) {
  const accept = useChange(acceptResult);
  return (
    <AcceptanceDialog
      title="Accept this failure?"
      explain="You are its approver. The result stays visible as an exception and counts for no score; its recommendation is dismissed. It counts again after the end."
      error={accept.error}
      pending={accept.isPending}
      accept={(given, onError) =>
        accept.mutate(
          {
            check: row.check,
            connection_id: row.connection_id,
            resource_id: row.resource_id,
            document_hash: row.document_hash ?? undefined,
            ...given,
          },
          {
            onSuccess: () => {
              announce('Failure accepted.');
              onClose();
            },
            onError,
          },
        )
      }
      onClose={onClose}
    />
  );
}
