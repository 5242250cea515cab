import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { useChange } from '../queries';
import { pinAgain, type DriftDetail as Detail } from './queries';

/** Makes the present configuration of the resource its baseline. */
export function PinOneDialog({ of: one, onClose }: { of: Detail; onClose: () => void }) {
  const pin = useChange(pinAgain);
  return (
    <FormDialog
      title="Pin as it is now?"
      submit="Pin"
      error={pin.error}
      pending={pin.isPending}
      onSubmit={(event) => {
        event.preventDefault();
        pin.mutate(
          { id: one.baseline_id, resources: [one.resource_id] },
          {
            onSuccess: () => {
              announce('Pinned. The drift is resolved.');
              onClose();
            },
          },
        );
      }}
      onClose={onClose}
      explain={
        one.form === 'gone'
          ? `The resource leaves the baseline ${one.baseline_name}, and the drift is resolved.`
          : `Its present configuration is the new normal of the baseline ${one.baseline_name}, and the drift is resolved.`
      }
    />
  );
}
