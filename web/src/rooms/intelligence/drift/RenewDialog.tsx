import { Text } from '@mantine/core';
import { count } from '../../../display/amounts';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { useChange } from '../queries';
import { driftsInWords } from './forms';
import { pinAgain, type Baseline } from './queries';

/** Pins the whole scope again, after saying what that ends. */
export function RenewDialog({ of: one, onClose }: { of: Baseline; onClose: () => void }) {
  const renew = useChange(pinAgain);
  return (
    <FormDialog
      title={`Pin ${one.name} again?`}
      submit="Pin again"
      error={renew.error}
      pending={renew.isPending}
      onSubmit={(event) => {
        event.preventDefault();
        renew.mutate(
          { id: one.id },
          {
            onSuccess: ({ resources }) => {
              announce(`Pinned ${count(resources)} resources.`);
              onClose();
            },
          },
        );
      }}
      onClose={onClose}
      explain="The present configuration of its whole scope becomes the baseline. Every open and accepted drift is resolved."
    >
      <Text size="sm">Drifts now: {driftsInWords(one.drifts)}.</Text>
    </FormDialog>
  );
}
