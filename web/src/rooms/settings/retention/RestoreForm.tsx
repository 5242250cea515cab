import { NumberInput, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { useChange } from '../queries';
import { requestRestore } from './queries';

/** A new restore. */
export function RestoreForm({ onClose }: { onClose: () => void }) {
  const ask = useChange(requestRestore);
  const form = useForm({ initialValues: { start_time: '', end_time: '', days: 7, reason: '' } });
  const submit = form.onSubmit((given) =>
    ask.mutate(given, {
      onSuccess: () => {
        announce('Restore requested');
        onClose();
      },
      onError: (error: Error) => form.setErrors(fieldMessages(error)),
    }),
  );
  return (
    <FormDialog
      title="Request a restore"
      size="lg"
      explain="Entries of the cold tier with a timestamp in this period are fetched to the local disk. They can be searched as soon as they are there, and are removed after these days."
      submit="Request restore"
      error={ask.error}
      marked={['start_time', 'end_time', 'days', 'reason']}
      pending={ask.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="From"
          withAsterisk
          data-autofocus
          placeholder="2024-01-01T00:00:00Z"
          {...form.getInputProps('start_time')}
        />
        <TextInput
          label="Until"
          withAsterisk
          placeholder="2024-03-31T23:59:59Z"
          {...form.getInputProps('end_time')}
        />
      </SimpleGrid>
      <NumberInput label="Days" withAsterisk min={1} max={365} {...form.getInputProps('days')} />
      <Textarea label="Reason" autosize minRows={2} {...form.getInputProps('reason')} />
    </FormDialog>
  );
}
