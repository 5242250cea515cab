import { Alert, FileInput, List, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { plural } from '../../../display/amounts';
import { FormDialog } from '../../../display/FormDialog';
import { useChange } from '../queries';
import { importStix } from './queries';

type Imported = Awaited<ReturnType<typeof importStix>>;

/** Makes a list of a STIX bundle; what entries of the log have not is named with its reason. */
export function StixDialog({ onClose }: { onClose: () => void }) {
  const put = useChange(importStix);
  const [imported, setImported] = useState<Imported | null>(null);
  const form = useForm<{ name: string; file: File | null }>({
    initialValues: { name: '', file: null },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      file: (value) => (value === null ? 'Choose a file' : null),
    },
  });
  const submit = form.onSubmit(({ name, file }) => {
    if (!file) return;
    put.mutate(
      { name: name.trim(), file },
      {
        onSuccess: (answer) => {
          announce(`“${answer.name}” has ${plural(answer.indicator_count, 'indicator')} now.`);
          if (answer.not_used_count === 0) onClose();
          else setImported(answer);
        },
        onError: (error) => form.setErrors(fieldMessages(error)),
      },
    );
  });
  return (
    <FormDialog
      title="Import a STIX bundle"
      size="lg"
      submit="Import"
      error={put.error}
      marked={['name']}
      pending={put.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name of the list"
        description="A list of this name is replaced"
        maxLength={128}
        withAsterisk
        {...form.getInputProps('name')}
      />
      <FileInput
        label="Bundle"
        placeholder="STIX 2.1, as JSON"
        accept="application/json,.json,.stix"
        withAsterisk
        {...form.getInputProps('file')}
      />
      {imported && (
        <Alert
          color="yellow"
          variant="light"
          title={`${plural(imported.not_used_count, 'indicator')} not used`}
        >
          <List size="sm">
            {imported.not_used.slice(0, 10).map(({ id, pattern, reason }) => (
              <List.Item key={id}>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {pattern}: {reason}
                </Text>
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </FormDialog>
  );
}
