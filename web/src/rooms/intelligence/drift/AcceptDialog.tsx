import { announce } from '../../../display/announce';
import { AcceptanceDialog } from '../AcceptanceDialog';
import { useChange } from '../queries';
import { acceptDrift, type DriftDetail } from './queries';

/** Accepts a drift until a time, as it was shown. */
export function AcceptDialog({ of: one, onClose }: { of: DriftDetail; onClose: () => void }) {
  const accept = useChange(acceptDrift);
  return (
    <AcceptanceDialog
      title="Accept this drift?"
      explain="You are its approver. It is open again after the end, and when the resource changes further."
      error={accept.error}
      pending={accept.isPending}
      accept={(given, onError) =>
        accept.mutate(
          { id: one.id, ...given, hash: one.hash ?? '' },
          {
            onSuccess: () => {
              announce('Drift accepted.');
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
