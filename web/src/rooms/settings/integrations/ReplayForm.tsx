import { NumberInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { useChange } from '../queries';
import { replayIntegration, type Integration } from './queries';

/** A position to send from again. */
export function ReplayForm({
  integration,
  onClose,
}: {
  integration: Integration;
  onClose: () => void;
}) {
  const replay = useChange(replayIntegration);
  const form = useForm({ initialValues: { sequence: integration.status.cursor } });
  const submit = form.onSubmit(({ sequence }) =>
    replay.mutate(
      { id: integration.id, sequence },
      {
        onSuccess: () => {
          announce('Replay begun');
          onClose();
        },
        onError: (error: Error) => form.setErrors(fieldMessages(error)),
      },
    ),
  );
  return (
    <FormDialog
      title={`Replay ${integration.name}`}
      explain="The stream continues from this position of the log. The receiver gets entries twice, with the same event ID."
      submit="Replay"
      error={replay.error}
      marked={['sequence']}
      pending={replay.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <NumberInput
        label="First sequence"
        description={`The stream stands at ${integration.status.cursor}; 0 is the first entry of the log`}
        min={0}
        allowDecimal={false}
        data-autofocus
        {...form.getInputProps('sequence')}
      />
    </FormDialog>
  );
}
