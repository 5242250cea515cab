import { Alert, Button, Checkbox, SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldMessages } from '../../../api/problem';
import { plural } from '../../../display/amounts';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { useChange } from '../queries';
import { neededRestore } from './neededRestore';
import { previewErasure, requestErasure, type ErasurePreview, type ErasureScope } from './queries';
import { PeriodFields } from './PeriodFields';

const FIELDS = ['actor_id', 'email', 'query', 'start_time', 'end_time', 'reason', 'legal_basis'];

/** A request to erase a person's entries, with its effect before it is made. */
export function ErasureForm({ onClose }: { onClose: () => void }) {
  const preview = useChange(previewErasure);
  const request = useChange(requestErasure);
  const form = useForm({
    initialValues: {
      actor_id: '',
      email: '',
      query: '',
      start_time: '',
      end_time: '',
      keep_held: false,
      reason: '',
      legal_basis: '',
    },
    onValuesChange: () => preview.reset(),
  });
  const scope = (): ErasureScope => {
    const { actor_id, email, query, start_time, end_time, keep_held } = form.getValues();
    return {
      actor_id,
      email,
      query,
      keep_held,
      start_time: start_time || undefined,
      end_time: end_time || undefined,
    };
  };
  const onError = (error: Error) => form.setErrors(fieldMessages(error));
  const submit = form.onSubmit(({ reason, legal_basis }) =>
    request.mutate(
      { scope: scope(), reason, legal_basis },
      {
        onSuccess: () => {
          announce('Erasure requested');
          onClose();
        },
        onError,
      },
    ),
  );
  return (
    <FormDialog
      title="Request an erasure"
      size="lg"
      explain="Content and salt of the entries are deleted for good; their hashes stay, so that the rest of the log still verifies. Later entries of the person are not included."
      submit="Request erasure"
      colour="red"
      error={request.error ?? preview.error}
      marked={FIELDS}
      pending={request.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Actor ID"
          description="actor.id of the person"
          data-autofocus
          {...form.getInputProps('actor_id')}
        />
        <TextInput
          label="E-mail address"
          description="Either of the two suffices"
          {...form.getInputProps('email')}
        />
      </SimpleGrid>
      <TextInput
        label="Query"
        description="Narrows the entries, or selects them where no person is named. Lists and relative times are not accepted."
        placeholder="event_type:user.login"
        {...form.getInputProps('query')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <PeriodFields inputProps={form.getInputProps} />
        <TextInput
          label="Legal basis"
          withAsterisk
          placeholder="GDPR Art. 17(1)(b)"
          {...form.getInputProps('legal_basis')}
        />
      </SimpleGrid>
      <Textarea
        label="Reason"
        withAsterisk
        autosize
        minRows={2}
        {...form.getInputProps('reason')}
      />
      <Checkbox
        label="Leave entries under legal hold in the log, and erase the others"
        {...form.getInputProps('keep_held', { type: 'checkbox' })}
      />
      <div>
        <Button
          variant="default"
          loading={preview.isPending}
          onClick={() => preview.mutate(scope(), { onError })}
        >
          Show the effect
        </Button>
      </div>
      {preview.data && <Effect preview={preview.data} />}
    </FormDialog>
  );
}

function Effect({ preview }: { preview: ErasurePreview }) {
  const held = Object.values(preview.held).reduce((sum, count) => sum + count, 0);
  const entries = (count: number) => plural(count, 'entry', 'entries');
  return (
    <Alert
      variant="light"
      color={held > 0 ? 'yellow' : 'gray'}
      title={`${entries(preview.entries)} would be erased`}
    >
      <Text size="sm">
        They are in {plural(preview.segments.length, 'segment')}.
        {preview.unsealed > 0 &&
          ` ${entries(preview.unsealed)} would wait for the next seal of the log.`}
        {preview.evidence > 0 &&
          ` ${entries(preview.evidence)} prove deletions or legal holds and stay.`}
      </Text>
      {preview.needed_restore && (
        <Text size="sm">
          More may be in the cold tier, which is searched after a restore:{' '}
          {neededRestore(preview.needed_restore)}
        </Text>
      )}
      {Object.entries(preview.held).map(([hold, count]) => (
        <Text key={hold} size="sm">
          {entries(count)} under the legal hold {hold}
        </Text>
      ))}
    </Alert>
  );
}
