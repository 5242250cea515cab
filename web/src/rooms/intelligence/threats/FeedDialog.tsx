import { Alert, Button, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconRefresh } from '@tabler/icons-react';
import type { ThreatList } from '../../../api/bodies';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { plural } from '../../../display/amounts';
import { FormDialog } from '../../../display/FormDialog';
import { Remove } from '../../../display/Remove';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { putFeed, refreshFeed, removeFeed } from './queries';

const FORMATS = [
  { value: 'text', label: 'One indicator a line' },
  { value: 'stix', label: 'STIX 2.1 bundle' },
];

/** Keeps a list as an address has it. */
export function FeedDialog({ list, onClose }: { list?: ThreatList; onClose: () => void }) {
  const feed = list?.feed;
  const put = useChange(putFeed);
  const refresh = useChange(refreshFeed);
  const form = useForm({
    initialValues: {
      name: list?.name ?? '',
      url: feed?.url ?? '',
      format: feed?.format ?? 'text',
      every_hours: feed?.every_hours ?? 24,
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      url: (value) => (value.trim() === '' ? 'Enter a full https:// address' : null),
    },
  });
  const told = ({ error }: { error?: string | null }) =>
    announce(error ? `The address could not be read: ${error}` : 'The list was read.');
  const submit = form.onSubmit(({ name, url, ...values }) =>
    put.mutate(
      { name: name.trim(), url: url.trim(), ...values },
      {
        onSuccess: (answer) => {
          told(answer);
          onClose();
        },
        onError: (error) => form.setErrors(fieldMessages(error)),
      },
    ),
  );
  return (
    <FormDialog
      title={feed ? `Address of ${list.name}` : 'Read a list from an address'}
      size="lg"
      submit={feed ? 'Save and read' : 'Read the list'}
      error={put.error ?? refresh.error}
      marked={['name', 'url', 'every_hours']}
      pending={put.isPending}
      onSubmit={submit}
      onClose={onClose}
      aside={
        feed && (
          <Remove
            what={`the address of ${list.name}`}
            room="intelligence"
            explain="The list stays as it is and is not read again."
            remove={() => removeFeed(list.name)}
            onRemoved={onClose}
          />
        )
      }
    >
      {feed && (
        <Stack gap="xs">
          <Text size="sm" className="muted">
            {feed.succeeded_at ? (
              <>
                Last read <When at={feed.succeeded_at} form="ago" />
              </>
            ) : (
              'Never read'
            )}
            {feed.not_used > 0 && `, ${plural(feed.not_used, 'indicator')} not used`}
          </Text>
          {feed.error && (
            <Alert color="orange" variant="light" title="The last reading failed">
              {feed.error}. The list is as the reading before left it.
            </Alert>
          )}
          <Button
            variant="default"
            w="fit-content"
            leftSection={<IconRefresh size={16} />}
            loading={refresh.isPending}
            onClick={() => refresh.mutate(list.name, { onSuccess: told })}
          >
            Read now
          </Button>
        </Stack>
      )}
      {!list && (
        <TextInput
          label="Name"
          placeholder="Scanners"
          maxLength={128}
          withAsterisk
          {...form.getInputProps('name')}
        />
      )}
      <TextInput
        label="Address"
        description="https, and not inside your own network unless the configuration allows it"
        placeholder="https://feeds.example.com/addresses.txt"
        withAsterisk
        {...form.getInputProps('url')}
      />
      <Select label="Form" data={FORMATS} allowDeselect={false} {...form.getInputProps('format')} />
      <NumberInput
        label="Hours between two readings"
        min={1}
        max={168}
        {...form.getInputProps('every_hours')}
      />
    </FormDialog>
  );
}
