/* Stands for Windows' icacls: Wine 8 has no access lists to change. */
#include <stdio.h>
#include <stdlib.h>

/* Each run is a line of the file that this variable names. */
int main(int count, char **words)
{
    FILE *log = getenv("JIG_STUB_LOG") ? fopen(getenv("JIG_STUB_LOG"), "a") : NULL;
    if (log != NULL) {
        fprintf(log, "icacls %s\n", words[1]);
        fclose(log);
    }
    puts("Successfully processed 1 files; Failed to process 0 files");
    return 0;
}
