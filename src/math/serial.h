/* The matrix library keeps to one thread while a simulation is at work. */
#ifndef TRM_MATH_SERIAL_H
#define TRM_MATH_SERIAL_H

/* In pairs, from any thread; with the last end the library has its threads back. */
void trm_serial_begin(void);
void trm_serial_end(void);

#endif
